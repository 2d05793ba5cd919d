"""The other end of the bot's websocket, played by tests: see `docs/testing.md`."""
