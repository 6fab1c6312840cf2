"""Stand-ins for what lies outside the house."""
