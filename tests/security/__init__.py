"""The security review as tests: what comes from a source, a config, an address or an upload is only data."""
