"""The simulated world of chapter 15, the policies run in it, and what they serve."""
