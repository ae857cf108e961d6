"""The questions: one file a family, found by `catalogue`, and ready-made quizzes."""
