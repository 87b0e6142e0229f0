// The backend of an app in Go, with golang.org/x/oauth2 (../README.md).
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const (
	attemptsMax = 4
	pauseMax    = 5 * time.Second
)

var (
	host, app, ledgerFile = os.Getenv("STORE_URL"), os.Getenv("PACKAGE_NAME"), os.Getenv("LEDGER")
	config                = clientcredentials.Config{
		ClientID: os.Getenv("CLIENT_ID"), ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL: host + "/v2/oauth/token", AuthStyle: oauth2.AuthStyleInParams,
	}
	client = config.Client(context.Background()) // Reuses its token until it expires.
	ledger = map[string]bool{}
	// Only an id of this form has one spelling and stays one segment of a path.
	purchaseID = regexp.MustCompile("^[A-Za-z0-9._-]{1,20}$")
	productID  = regexp.MustCompile("^[A-Za-z0-9._-]{1,150}$")
	turn       sync.Mutex // Requests are handled one after another, so that each finds what the one before wrote.
)

type result struct {
	ConsumptionState, PurchaseState   int
	ExpiryTime, NextPaymentTime, Now  int64
	AutoRenewing                      bool
	DeveloperPayload, ContinuationKey string
	VoidedPurchaseList                []struct{ PurchaseID string }
	Error                             struct{ Code int }
}

// pauseOf reads a Retry-After, which is a number of seconds or a date; anything else is ignored.
func pauseOf(retryAfter string) time.Duration {
	pause, _ := time.ParseDuration(retryAfter + "s")
	if date, err := http.ParseTime(retryAfter); err == nil {
		pause = time.Until(date)
	}
	if pause > pauseMax {
		return pauseMax
	}
	return pause
}

// call returns status 503 if the store cannot be used now.
func call(method, path string) (status int, body result) {
	for attempt := 0; attempt < attemptsMax; attempt++ {
		request, err := http.NewRequest(method, host+path, nil)
		if err != nil {
			log.Print(err)
			break
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil { // The store may have done it: the next attempt finds out.
			time.Sleep(time.Second)
			continue
		}
		err = json.NewDecoder(response.Body).Decode(&body)
		response.Body.Close()
		if status = response.StatusCode; status == 401 {
			client = config.Client(context.Background()) // Gets a new token.
		} else if status != 429 && status < 500 && err == nil {
			return status, body
		}
		time.Sleep(pauseOf(response.Header.Get("Retry-After")))
	}
	return 503, body
}

func write(line string) {
	if ledger[line] {
		return
	}
	file, err := os.OpenFile(ledgerFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.WriteString(line + "\n")
	}
	if err != nil || file.Sync() != nil || file.Close() != nil {
		log.Fatal("the ledger cannot be written: ", err)
	}
	ledger[line] = true
}

func isID(form *regexp.Regexp, id string) bool {
	return form.MatchString(id) && id != "." && id != ".."
}

func path(segments ...string) string {
	path := "/v2/purchase"
	for _, segment := range segments {
		path += "/" + url.PathEscape(segment)
	}
	return path
}

// refusal returns why a purchase is not delivered, or "".
func refusal(status int, purchase result, id, order string) string {
	switch {
	case status != 200:
		return "notFound"
	case purchase.PurchaseState != 0:
		return "voided"
	case purchase.DeveloperPayload != order:
		return "otherPayload"
	case purchase.ConsumptionState == 1 && !ledger["delivered "+id]:
		return "consumed"
	}
	return ""
}

// deliver returns a body with status 409.
func deliver(id, product, order string) (status int, body any) {
	var purchase result
	if isID(purchaseID, id) && isID(productID, product) {
		status, purchase = call("GET", path("details-by-productid", id, app, product))
	}
	if status == 503 {
		return 503, nil
	}
	if reason := refusal(status, purchase, id, order); reason != "" {
		log.Printf("refused %q: %s", id, reason)
		return 409, map[string]string{"reason": reason}
	}
	write("delivered " + id)
	status, consumed := call("POST", path("consume", id, app))
	if status == 200 || consumed.Error.Code == 9201 {
		return 200, nil
	}
	return 503, nil
}

// accessTo returns status 404 if the app has no such subscription.
func accessTo(firstPurchaseID string) (status int, access any) {
	if !isID(purchaseID, firstPurchaseID) {
		return 404, nil
	}
	status, details := call("GET", path("last-recurring-details", firstPurchaseID, app))
	clock := result{Now: time.Now().UnixMilli()}
	if status == 200 && os.Getenv("ENVIRONMENT") == "sandbox" { // The app's own clock, which can be moved.
		status, clock = call("GET", "/developer/v1/clock")
	}
	if status != 200 {
		return status, nil
	}
	hasAccess := clock.Now < details.ExpiryTime
	return 200, map[string]any{
		"hasAccess":            hasAccess,
		"isPaymentOutstanding": details.NextPaymentTime > 0 && !hasAccess,
		"until":                details.ExpiryTime,
		"willRenew":            details.AutoRenewing,
	}
}

func takeBackVoided() int {
	for key := ""; ; {
		status, page := call("GET", path("voided-purchases", app)+key)
		if status != 200 {
			return 503
		}
		for _, entry := range page.VoidedPurchaseList {
			if ledger["delivered "+entry.PurchaseID] {
				write("taken-back " + entry.PurchaseID)
			}
		}
		if page.ContinuationKey == "" {
			return 200
		}
		key = "?continuationKey=" + url.QueryEscape(page.ContinuationKey)
	}
}

func isSigned(header http.Header, body []byte) bool {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + header.Get("webhook-timestamp") + "." + string(body)))
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	seconds, _ := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	age := time.Since(time.Unix(seconds, 0))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal(expected, []byte(signature)) {
			return age.Abs() < 5*time.Minute
		}
	}
	return false
}

func respond(path string, header http.Header, body []byte) (int, any) {
	var sent struct {
		Type, PurchaseID, ProductID, Order string
		Record                             struct{ DeveloperPayload string }
	}
	json.Unmarshal(body, &sent)
	status := 204
	switch {
	case path == "/purchases":
		return deliver(sent.PurchaseID, sent.ProductID, sent.Order)
	case path == "/voided":
		return takeBackVoided(), nil
	case strings.HasPrefix(path, "/access/"):
		return accessTo(strings.TrimPrefix(path, "/access/"))
	case !isSigned(header, body):
		return 401, nil
	case sent.Type == "purchase.completed":
		status, _ = deliver(sent.PurchaseID, sent.ProductID, sent.Record.DeveloperPayload)
	case sent.Type == "purchase.voided":
		status = takeBackVoided()
	}
	if status == 503 {
		return 503, nil
	}
	return 204, nil
}

func main() {
	written, _ := os.ReadFile(ledgerFile)
	for _, line := range strings.Split(string(written), "\n") {
		ledger[line] = true
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(
		func(writer http.ResponseWriter, request *http.Request) {
			body, _ := io.ReadAll(request.Body)
			turn.Lock()
			defer turn.Unlock()
			status, sent := respond(request.URL.Path, request.Header, body)
			writer.Header().Set("Content-Type", "application/json")
			writer.WriteHeader(status)
			if sent != nil {
				json.NewEncoder(writer).Encode(sent)
			}
		})))
}
