"""The rules for calls: of tfpy, and of the functions, methods and classes of JavaScript and Node.js."""
