"""What a script says without being run: who declares what, what expressions hold, what is imported and exported."""
