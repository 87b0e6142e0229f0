// golang.org/x/oauth2 as the client of a backend.

package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	api := os.Getenv("STORE_URL") + "/v2"
	config := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     api + "/oauth/token",
	}
	source := config.TokenSource(context.Background())
	token, err := source.Token()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token.Type(), token.Extra("expires_in"))
	for _, call := range [][2]string{{"GET", "details"}, {"POST", "consume"}} {
		url := fmt.Sprintf("%s/purchase/%s/%s/%s", api, call[1], os.Getenv("PURCHASE_ID"), os.Getenv("PACKAGE_NAME"))
		request, _ := http.NewRequest(call[0], url, nil)
		request.Header.Set("Content-Type", "application/json")
		response, err := config.Client(context.Background()).Do(request)
		if err != nil {
			log.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		fmt.Println(string(body))
	}
}
