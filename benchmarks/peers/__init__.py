"""What closeread is compared with: floors, official procedures, and other libraries."""
