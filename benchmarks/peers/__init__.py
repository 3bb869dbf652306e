"""What is measured against: floors, official procedures, and programs around other libraries."""
