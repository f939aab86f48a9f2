// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		_, err := parseFlags(args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v; want one with %q", args, err, want)
		}
	}
	f(`--systems: unknown system "tensor"`, "--systems", "tensor")
	f(`--systems: "tuft" is named twice`, "--systems", "tuft,tuft")
	f("flag provided but not defined: -system", "--system", "tuft")
	f("--rate must be above 0 and at most 10000 (got -1)", "--rate", "-1")
	f("--rate must be above 0", "--rate", "NaN")
	f("--duration must be positive (got 0s)", "--duration", "0s")
	f(`unexpected argument "now"`, "now")
	if _, err := parseFlags([]string{"--systems", "tuft,vllm"}, io.Discard); err != nil {
		t.Error(err)
	}
}
