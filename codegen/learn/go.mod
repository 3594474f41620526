module learn

go 1.26
