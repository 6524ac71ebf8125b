"""Which query next: surfacing a database that can only be searched."""

import lazy_loader

from tres_webs.forms.answers import Part as Part, ResultPage as ResultPage, Site as Site
from tres_webs.forms.client import FormSite as FormSite
from tres_webs.forms.form import serve as serve

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
