"""Put data/ and results/ into the wheel, inside `tres_webs`; pyproject.toml has all else."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class WithData(build_py):
    """Copy the modules, and the folders that `tres_webs.files` looks for."""

    def run(self):
        """Build as usual; an editable installation reads the folders where they are."""
        super().run()
        if not self.editable_mode:
            for name in ("data", "results"):
                target = Path(self.build_lib, "tres_webs", name)
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(name, target)


setup(cmdclass={"build_py": WithData})
