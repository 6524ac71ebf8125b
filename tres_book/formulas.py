"""Formulas as MathML, which browsers draw without a script, and a font for those that have none."""

import base64
import io
import logging
import re
from functools import cache
from pathlib import Path
from unicodedata import category, decomposition

import matplotlib
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from latex2mathml.converter import convert

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells of each table
ITALIC_GREEK = range(0x1D6E2, 0x1D71C)
# What DejaVu Serif leaves at 0 or too high for scripts and limits, in 2048ths of a letter's size.
HEIGHTS = {"SuperscriptShiftUp": 740, "SuperscriptShiftUpCramped": 600, "SuperscriptBottomMin": 256}
HEIGHTS |= {"SuperscriptBaselineDropMax": 500, "SubscriptBaselineDropMin": 200}
HEIGHTS |= {"SubscriptShiftDown": 400, "UpperLimitGapMin": 200, "LowerLimitGapMin": 250}


def mathml(tex: str, display: str) -> str:
    """Return LaTeX without its dollar signs as MathML, "inline" or "block"."""
    # The converter knows no starred operator names, thin spaces and aligned lines. Of brackets of
    # a fixed size, browsers leave one with an exponent small.
    tex = tex.strip().replace(r"\arg\max", r"\operatorname{argmax}").replace(r"\,", " ")
    tex = re.sub(
        r"\\operatorname\*?\{([^}]*)\}", lambda m: f"\\operatorname{{{''.join(m[1].split())}}}", tex
    )
    tex = re.sub(r"\\[Bb]ig([lr])\b", lambda m: {"l": r"\left", "r": r"\right"}[m[1]], tex)
    # A prime is raised by itself: as a script it would be a speck.
    found = convert(tex.replace("{aligned}", "{split}").replace("'", "{′}"), display=display)
    return found.replace("<msqrt>", '<msqrt><mspace width="0.12em" />')


@cache
def font_face() -> str:
    """Return a style sheet with the font "Formulas": matplotlib's DejaVu Serif, cut to their signs.

    Without a font that knows mathematics, letters are boxes and roots cross out what is in them.
    """
    file = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf"
    made = TTFont(file, recalcTimestamp=False)
    del made["FFTM"]  # FontForge's dates
    for name, height in HEIGHTS.items():
        getattr(made["MATH"].table.MathConstants, name).Value = height
    names = made.getBestCmap()
    # It has italic letters for formulas, but no Greek ones: its upright ones lean.
    greek = {code: names[int(decomposition(chr(code)).split()[1], 16)] for code in ITALIC_GREEK}
    for glyph in map(made["glyf"].__getitem__, greek.values()):
        if not glyph.isComposite():
            glyph.coordinates.transform(((1, 0), (0.2, 1)))
    for table in made["cmap"].tables:
        table.cmap |= greek if table.format == 12 else {}
    subset = Subsetter(Options(hinting=False, layout_features=[], name_IDs=[0, 13]))  # its licence
    signs = {code for code in names if category(chr(code)) in ("Sm", "Ps", "Pe")}
    letters = {*range(0x80), *range(0x391, 0x3F6), 0x210E, *range(0x1D434, 0x1D468), *greek}
    subset.populate(unicodes=signs | letters | {*b"\xa0\xaf\xb7", *range(0x2010, 0x2040)})
    subset.subset(made)
    made.flavor = "woff"
    made.save(stream := io.BytesIO())
    data = base64.b64encode(stream.getvalue()).decode()
    return f'@font-face {{ font-family: Formulas; src: url("data:font/woff;base64,{data}"); }}'
