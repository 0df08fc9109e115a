"""What a user is told: findings, their catalogue and how they are printed."""
