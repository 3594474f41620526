module differential

go 1.26
