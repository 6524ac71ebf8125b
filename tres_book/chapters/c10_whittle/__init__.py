"""Chapter 10: which ephemeral source now. Sources, checks of the lemmas, trials."""
