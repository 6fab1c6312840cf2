"""An answer that sets companies against each other. It has no form: its sub-questions are asked one by one."""

from prompts.drafts import Kind

KIND = Kind(
    title="Comparison",
    other_words=("comparison", "vergleich", "compare"),
    meaning="companies set against each other by a figure or a fact.",
    dimension="name",
)
