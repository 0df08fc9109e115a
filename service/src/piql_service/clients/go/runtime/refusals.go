// The errors of a query, and the codes with which the service refuses.

package piqlclient

import "time"

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
