"""The English names of the months."""

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
A_MONTH = "(?:" + "|".join(MONTHS) + ")"  # for use in patterns
