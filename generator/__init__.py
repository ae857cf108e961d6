"""What is asked: a family, a level and key material become a certified variant; variants become quizzes."""
