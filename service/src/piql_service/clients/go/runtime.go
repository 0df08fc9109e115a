package piqlclient

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const graceTime = 2 * time.Second // the service says itself when the time is over

// RefusalCode says why the service refuses.
type RefusalCode string

// The codes that a program may wait for.
const (
	BudgetUsedUp         RefusalCode = "budget-used-up"
	CardinalityViolation RefusalCode = "cardinality-violation"
	ConditionFailed      RefusalCode = "condition-failed"
	ConstraintViolation  RefusalCode = "constraint-violation"
	ConversionFailed     RefusalCode = "conversion-failed"
	DeadlinePassed       RefusalCode = "deadline-passed"
	DuplicateKey         RefusalCode = "duplicate-key"
	ForeignKeyViolation  RefusalCode = "foreign-key-violation"
	InvalidCursor        RefusalCode = "invalid-cursor"
	InvalidParameter     RefusalCode = "invalid-parameter"
	InvalidSession       RefusalCode = "invalid-session"
	NotDeployed          RefusalCode = "not-deployed"
	NumberOutOfRange     RefusalCode = "number-out-of-range"
	RepairPending        RefusalCode = "repair-pending"
	StaleCursor          RefusalCode = "stale-cursor"
	StoreUnavailable     RefusalCode = "store-unavailable"
	TooManyConnections   RefusalCode = "too-many-connections"
	UnknownToken         RefusalCode = "unknown-token"
)

// Refused is the error of an execution that the service refuses. errors.Is tells it by its code:
// errors.Is(err, piqlclient.DuplicateKey).
type Refused struct {
	Status     int // of HTTP
	Code       RefusalCode
	Message    string
	Help       string        // one thing to do, empty where the service names none
	Parameter  string        // the name of the one whose value does not fit, empty for another reason
	Cost       int64         // the requests that it would have taken of the budget, 0 where that is not the reason
	RetryAfter time.Duration // after which it may be tried again, 0 where the service names none
}

func (refused *Refused) Error() string { return refused.Message }

// Is says whether the refusal has a code.
func (refused *Refused) Is(target error) bool {
	code, isCode := target.(RefusalCode)
	return isCode && code == refused.Code
}

func (code RefusalCode) Error() string { return string(code) }

// Unreachable is the error where no answer came, or only a part of it. A write may be made or not.
type Unreachable struct{ Reason error }

func (unreachable *Unreachable) Error() string {
	return "the service does not answer: " + unreachable.Reason.Error()
}

// Unwrap returns the reason.
func (unreachable *Unreachable) Unwrap() error { return unreachable.Reason }

// UnexpectedAnswer is the error where the answer is not what this client was generated for, or does not come from the
// service.
type UnexpectedAnswer struct{ Reason string }

func (unexpected *UnexpectedAnswer) Error() string { return unexpected.Reason }

// Answer has the rows of a query. Operations is the number of requests that were made to the store.
type Answer[Row any] struct {
	Rows       []Row
	Operations int64
}

// Page is one page of a query. Cursor is where the next one begins, empty after the last.
type Page[Row any] struct {
	Rows       []Row
	Operations int64
	Cursor     string
}

// Written says what a write has done; Rows are those of its RETURNING.
type Written[Row any] struct {
	Rows         []Row
	Operations   int64
	RowsAffected int64
}

// NoRow is the row of a write without RETURNING: there is none.
type NoRow struct{}

// Pages are the pages of a query, each read when it is asked for.
type Pages[Row any] struct {
	read   func(ctx context.Context, cursor string) (Page[Row], error)
	cursor string
	isOver bool
}

// Cursor is where the next page begins: another call, in another process too, goes on there. It is empty before the
// first page and after the last.
func (pages *Pages[Row]) Cursor() string { return pages.cursor }

// Next reads a page; io.EOF after the last one. When a page is refused, the next call asks for the same page again.
func (pages *Pages[Row]) Next(ctx context.Context) (Page[Row], error) {
	if pages.isOver {
		return Page[Row]{}, io.EOF
	}
	page, err := pages.read(ctx, pages.cursor)
	if err == nil {
		pages.cursor = page.Cursor
		pages.isOver = page.Cursor == ""
	}
	return page, err
}

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
	place, err := url.Parse(address)
	if err != nil || place.Host == "" || (place.Scheme != "http" && place.Scheme != "https") {
		return nil, fmt.Errorf("%q is no address of a service: write http://HOST:PORT", address)
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
	place := connection.address + "/queries/" + url.PathEscape(query)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, place, bytes.NewReader(body))
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
		return answer{}, refusal(place, response, text)
	}
	var found answer
	if err := json.Unmarshal(text, &found); err != nil || found.Rows == nil {
		return answer{}, &UnexpectedAnswer{connection.address + " answers with something else than rows"}
	}
	if session := response.Header.Get("Piql-Session"); connection.isSession && session != "" {
		connection.lock.Lock()
		defer connection.lock.Unlock()
		connection.session = session
	}
	return found, nil
}

func refusal(place string, response *http.Response, text []byte) error {
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
			fmt.Sprintf("%s answers with status %d, and not as the service does", place, response.StatusCode),
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

func rowsOf[Row any](query string, found answer, read func(*row) Row) ([]Row, error) {
	rows := make([]Row, 0, len(found.Rows))
	for _, values := range found.Rows {
		reading := &row{values: values}
		rows = append(rows, read(reading))
		if reading.err != nil {
			return nil, &UnexpectedAnswer{
				query + " has other rows than it had: generate this client anew: " + reading.err.Error(),
			}
		}
	}
	return rows, nil
}

func read[Row any](
	ctx context.Context, connection *Connection, query string, given parameters, of func(*row) Row,
) (Answer[Row], error) {
	found, err := connection.send(ctx, query, given, "")
	if err != nil {
		return Answer[Row]{}, err
	}
	rows, err := rowsOf(query, found, of)
	return Answer[Row]{rows, found.Operations}, err
}

func write[Row any](
	ctx context.Context, connection *Connection, query string, given parameters, of func(*row) Row,
) (Written[Row], error) {
	found, err := connection.send(ctx, query, given, "")
	if err != nil {
		return Written[Row]{}, err
	}
	rows, err := rowsOf(query, found, of)
	return Written[Row]{rows, found.Operations, found.RowsAffected}, err
}

func pagesOf[Row any](
	connection *Connection, query string, given parameters, cursor string, of func(*row) Row,
) *Pages[Row] {
	next := func(ctx context.Context, cursor string) (Page[Row], error) {
		found, err := connection.send(ctx, query, given, cursor)
		if err != nil {
			return Page[Row]{}, err
		}
		rows, err := rowsOf(query, found, of)
		return Page[Row]{rows, found.Operations, found.Cursor}, err
	}
	return &Pages[Row]{read: next, cursor: cursor}
}

func noRow(reading *row) NoRow {
	reading.err = errors.New("a row of a write that returns none")
	return NoRow{}
}

// Of returns where a value is, for a parameter that may be NULL: Of("Cork"). NULL is nil.
func Of[Value any](value Value) *Value { return &value }

// list returns values as a list of JSON, which is empty for nil.
func list[Value any](values []Value) []Value {
	if values == nil {
		return []Value{}
	}
	return values
}

// Decimal is an exact DECIMAL as a text such as "9.50".
type Decimal string

var decimalForm = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// MarshalJSON refuses a text that is no DECIMAL.
func (decimal Decimal) MarshalJSON() ([]byte, error) {
	if !decimalForm.MatchString(string(decimal)) {
		return nil, fmt.Errorf("%q is no DECIMAL", string(decimal))
	}
	return json.Marshal(string(decimal))
}

// Date is a day of the calendar.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// String returns the day as 2026-01-31.
func (date Date) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", date.Year, date.Month, date.Day)
}

// MarshalJSON refuses what is no day.
func (date Date) MarshalJSON() ([]byte, error) {
	if _, err := time.Parse(time.DateOnly, date.String()); err != nil {
		return nil, err
	}
	return json.Marshal(date.String())
}

// UUID is a UUID or TIMEUUID.
type UUID [16]byte

// ParseUUID reads a UUID such as 123e4567-e89b-42d3-a456-426614174000.
func ParseUUID(text string) (UUID, error) {
	var uuid UUID
	digits := strings.ReplaceAll(text, "-", "")
	if len(text) != 36 || len(digits) != 32 {
		return uuid, fmt.Errorf("%q is no UUID", text)
	}
	_, err := hex.Decode(uuid[:], []byte(digits))
	return uuid, err
}

func (uuid UUID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", uuid[:4], uuid[4:6], uuid[6:8], uuid[8:10], uuid[10:])
}

// MarshalJSON returns the UUID as a text.
func (uuid UUID) MarshalJSON() ([]byte, error) { return json.Marshal(uuid.String()) }

// Blob is a BLOB.
type Blob []byte

// MarshalJSON returns the bytes as the service takes them.
func (blob Blob) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"$base64": base64.StdEncoding.EncodeToString(blob)})
}

type row struct {
	values map[string]json.RawMessage
	err    error
}

// required reads a value that is never NULL; the first that does not fit is kept as the error of the row.
func required[Value any](reading *row, name string, read func(json.RawMessage) (Value, error)) Value {
	value := nullable(reading, name, read)
	if value == nil {
		if reading.err == nil {
			reading.err = fmt.Errorf("%s is NULL", name)
		}
		return *new(Value)
	}
	return *value
}

func nullable[Value any](reading *row, name string, read func(json.RawMessage) (Value, error)) *Value {
	text, isThere := reading.values[name]
	if !isThere && reading.err == nil {
		reading.err = fmt.Errorf("%s is missing", name)
	}
	if !isThere || string(text) == "null" {
		return nil
	}
	value, err := read(text)
	if err != nil && reading.err == nil {
		reading.err = fmt.Errorf("%s: %w", name, err)
	}
	return &value
}

func unwrapped(value *any) any {
	if value == nil {
		return nil
	}
	return *value
}

func plain[Value any](text json.RawMessage) (Value, error) {
	var value Value
	err := json.Unmarshal(text, &value)
	return value, err
}

func parsed[Value any](parse func(string) (Value, error)) func(json.RawMessage) (Value, error) {
	return func(text json.RawMessage) (Value, error) {
		value, err := plain[string](text)
		if err != nil {
			return *new(Value), err
		}
		return parse(value)
	}
}

func bigint(text json.RawMessage) (int64, error) {
	return strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
}

func double(text json.RawMessage) (float64, error) {
	value, err := plain[float64](text)
	if err == nil && math.IsInf(value, 0) {
		err = errors.New("is not finite")
	}
	return value, err
}

func blob(text json.RawMessage) (Blob, error) {
	content, err := plain[map[string]string](text)
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(content["$base64"])
}

var (
	boolean   = plain[bool]
	whole     = plain[int32]
	text      = plain[string]
	anything  = plain[any]
	decimal   = parsed(func(text string) (Decimal, error) { return Decimal(text), nil })
	uuid      = parsed(ParseUUID)
	timestamp = parsed(func(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) })
	date      = parsed(func(text string) (Date, error) {
		day, err := time.Parse(time.DateOnly, text)
		return Date{day.Year(), day.Month(), day.Day()}, err
	})
)
