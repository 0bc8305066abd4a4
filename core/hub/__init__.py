"""Model metadata from the Hugging Face hub: names made safe, fetching, the index, what a config.json says.

Network requests happen in core.hub.fetch alone, when someone asks for them; no dataset, chart or page here.
"""
