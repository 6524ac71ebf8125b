"""The live Web: polite fetching, what bodies hold, and webs around another web."""
