module example.com/backend

go 1.23

require golang.org/x/oauth2 v0.30.0
