// Values of rows from JSON.

package piqlclient

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

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
