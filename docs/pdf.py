"""Print the pages of reports/ into one file, reports/book.pdf, by a Chromium without a window.

python docs/pdf.py        # or `make pdf`, after `make reproduce`
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pypdf import PdfReader, PdfWriter

REPORTS = Path(__file__).parents[1] / "reports"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")


def main(reports: Path = REPORTS) -> int:
    """Write book.pdf, the front page first; 0 too without a browser, which is said."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    pages = [reports / "index.html", *sorted(reports.glob("[0-9]*.html"))]
    if browser is None:
        print(f"No PDF: none of {', '.join(BROWSERS)} is installed (apt-get install chromium).")
        return 0
    if not pages[0].exists():
        print("No PDF: there is no reports/index.html yet; run make reproduce.")
        return 1
    book = PdfWriter()
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            file = Path(folder) / f"{page.stem}.pdf"
            command = [browser, *OPTIONS, f"--print-to-pdf={file}", page.as_uri()]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
            start = len(book.pages)
            book.append(PdfReader(file), import_outline=False)
            book.add_outline_item(title=page.stem, page_number=start)
        book.write(reports / "book.pdf")
    print(f"{reports / 'book.pdf'}: {len(book.pages)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
