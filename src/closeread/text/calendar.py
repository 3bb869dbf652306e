"""The months as English writes them."""

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
A_MONTH = "(?:" + "|".join(MONTHS) + ")"  # in patterns
