"""How wheels are made and tried for other systems than the one at hand; not installed."""
