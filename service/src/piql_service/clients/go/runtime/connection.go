// Where the service is; sends a query and reads its answer.

package piqlclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const graceTime = 2 * time.Second // the service says itself when the time is over

// Consistency says how fresh the rows of a read are.
type Consistency string

// Without one the service decides.
const (
	Eventual Consistency = "eventual"
	Quorum   Consistency = "quorum"
)

// Connection says where the service is, and how it is asked. Goroutines may share one that has no session.
type Connection struct {
	address     string
	token       string
	timeout     time.Duration
	consistency Consistency
	http        *http.Client
	isSession   bool
	lock        sync.Mutex // of session
	session     string
}

// Option is one of WithToken, WithTimeout and WithConsistency.
type Option func(*Connection)

// WithToken sends a token with every request.
func WithToken(token string) Option {
	return func(connection *Connection) { connection.token = token }
}

// WithTimeout is for each request, 10 seconds without it: a read makes no request to the store after it.
func WithTimeout(timeout time.Duration) Option {
	return func(connection *Connection) { connection.timeout = timeout }
}

// WithConsistency asks for reads of this freshness.
func WithConsistency(consistency Consistency) Option {
	return func(connection *Connection) { connection.consistency = consistency }
}

// Connect returns a connection to the service at http://HOST:PORT. It opens nothing yet.
func Connect(address string, options ...Option) (*Connection, error) {
	location, err := url.Parse(address)
	if err != nil || location.Host == "" || (location.Scheme != "http" && location.Scheme != "https") {
		return nil, fmt.Errorf("%q is not the address of a service: write http://HOST:PORT", address)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	connection := &Connection{
		address: strings.TrimRight(address, "/"),
		timeout: 10 * time.Second,
		http:    &http.Client{CheckRedirect: stay}, // the token is for this address alone
	}
	for _, option := range options {
		option(connection)
	}
	return connection, nil
}

// Session returns a connection whose reads see what it has written; a token goes on with a session from elsewhere, and
// an empty one begins a new session. A session decides itself how fresh its reads are. Its requests come one after
// another.
func (connection *Connection) Session(token string) *Connection {
	if token == "" {
		token = "new"
	}
	return &Connection{
		address:   connection.address,
		token:     connection.token,
		timeout:   connection.timeout,
		http:      connection.http,
		isSession: true,
		session:   token,
	}
}

// SessionToken is the token with which the session goes on in another process; empty where there is no session.
func (connection *Connection) SessionToken() string {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	return connection.session
}

type answer struct {
	Rows         []map[string]json.RawMessage `json:"rows"`
	Cursor       string                       `json:"cursor"`
	Operations   int64                        `json:"operations"`
	RowsAffected int64                        `json:"rows_affected"`
}

type parameters map[string]any

func (connection *Connection) send(ctx context.Context, query string, given parameters, cursor string) (answer, error) {
	content := map[string]any{"parameters": given}
	if cursor != "" {
		content["cursor"] = cursor
	}
	body, err := json.Marshal(content)
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, connection.timeout+graceTime)
	defer cancel()
	location := connection.address + "/queries/" + url.PathEscape(query)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, location, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Piql-Timeout-Ms", strconv.FormatInt(connection.timeout.Milliseconds(), 10))
	if connection.token != "" {
		request.Header.Set("Authorization", "Bearer "+connection.token)
	}
	if connection.isSession {
		request.Header.Set("Piql-Session", connection.SessionToken())
	} else if connection.consistency != "" {
		request.Header.Set("Piql-Consistency", string(connection.consistency))
	}
	response, err := connection.http.Do(request)
	if err != nil {
		return answer{}, &Unreachable{err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, &Unreachable{err}
	}
	if response.StatusCode != http.StatusOK {
		return answer{}, refusal(location, response, text)
	}
	var reply answer
	if err := json.Unmarshal(text, &reply); err != nil || reply.Rows == nil {
		return answer{}, &UnexpectedAnswer{connection.address + " answers with something other than rows"}
	}
	if session := response.Header.Get("Piql-Session"); connection.isSession && session != "" {
		connection.lock.Lock()
		defer connection.lock.Unlock()
		connection.session = session
	}
	return reply, nil
}

func refusal(location string, response *http.Response, text []byte) error {
	var content struct {
		Code         RefusalCode `json:"code"`
		Message      string      `json:"message"`
		Help         string      `json:"help"`
		Parameter    string      `json:"parameter"`
		Cost         int64       `json:"cost"`
		RetryAfterMs int64       `json:"retry_after_ms"`
	}
	if err := json.Unmarshal(text, &content); err != nil || content.Code == "" {
		return &UnexpectedAnswer{
			fmt.Sprintf("%s answers with status %d, and not as the service does", location, response.StatusCode),
		}
	}
	wait := time.Duration(content.RetryAfterMs) * time.Millisecond
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil && wait == 0 {
		wait = time.Duration(seconds) * time.Second
	}
	return &Refused{
		response.StatusCode, content.Code, content.Message, content.Help, content.Parameter, content.Cost, wait,
	}
}

func rowsOf[Row any](query string, reply answer, read func(*row) Row) ([]Row, error) {
	rows := make([]Row, 0, len(reply.Rows))
	for _, values := range reply.Rows {
		reading := &row{values: values}
		rows = append(rows, read(reading))
		if reading.err != nil {
			return nil, &UnexpectedAnswer{
				query + " has other columns than this client expects: generate the client again: " + reading.err.Error(),
			}
		}
	}
	return rows, nil
}

func read[Row any](
	ctx context.Context, connection *Connection, query string, given parameters, of func(*row) Row,
) (Answer[Row], error) {
	reply, err := connection.send(ctx, query, given, "")
	if err != nil {
		return Answer[Row]{}, err
	}
	rows, err := rowsOf(query, reply, of)
	return Answer[Row]{rows, reply.Operations}, err
}

func write[Row any](
	ctx context.Context, connection *Connection, query string, given parameters, of func(*row) Row,
) (Written[Row], error) {
	reply, err := connection.send(ctx, query, given, "")
	if err != nil {
		return Written[Row]{}, err
	}
	rows, err := rowsOf(query, reply, of)
	return Written[Row]{rows, reply.Operations, reply.RowsAffected}, err
}

func pagesOf[Row any](
	connection *Connection, query string, given parameters, cursor string, of func(*row) Row,
) *Pages[Row] {
	next := func(ctx context.Context, cursor string) (Page[Row], error) {
		reply, err := connection.send(ctx, query, given, cursor)
		if err != nil {
			return Page[Row]{}, err
		}
		rows, err := rowsOf(query, reply, of)
		return Page[Row]{rows, reply.Operations, reply.Cursor}, err
	}
	return &Pages[Row]{read: next, cursor: cursor}
}

func noRow(reading *row) NoRow {
	reading.err = errors.New("a row of a write that returns none")
	return NoRow{}
}
