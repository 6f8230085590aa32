"""The syntax of the two languages: JavaScript is parsed; Python is built, ordered and printed."""
