// Types of values that Go does not have, as they stand in JSON.

package piqlclient

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

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
