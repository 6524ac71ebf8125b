"""How policies are called in tables, and their colours."""

from functools import cache

from tres_webs.files import DATA


@cache
def policy_styles() -> dict[str, dict[str, str]]:
    """Return, by its name, how a policy is `printed` in tables, and its `colour`."""
    import yaml

    return yaml.safe_load((DATA / "policies.yaml").read_text(encoding="utf-8"))
