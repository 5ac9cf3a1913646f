"""What a trained model proves and shows: margins, generalization bounds, significance."""
