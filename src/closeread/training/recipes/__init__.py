"""What a recipe may say to each trainer with a learned encoder, known without torch."""
