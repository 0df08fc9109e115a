// What the programs that use a client state.
package main

import (
	"errors"
	"fmt"
	"reflect"

	"example/piqlclient"
)

func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func equal(found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		panic(fmt.Sprintf("%v is not %v", found, expected))
	}
}

func refused(err error, code piqlclient.RefusalCode) *piqlclient.Refused {
	var refusal *piqlclient.Refused
	if !errors.As(err, &refusal) || !errors.Is(err, code) {
		panic(fmt.Sprintf("%v is not %s", err, code))
	}
	return refusal
}
