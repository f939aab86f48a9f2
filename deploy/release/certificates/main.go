// SPDX-License-Identifier: Apache-2.0

// Program certificates prints the certificate authorities that Mozilla trusts, as PEM, for
// an image that has no package of them. The module in go.mod is their version.
package main

import (
	"encoding/pem"
	"fmt"
	"os"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func main() {
	for root := range bundle.Roots() {
		// One that is trusted for some chains only cannot be told so in PEM.
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(os.Stdout, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			fmt.Fprintln(os.Stderr, "certificates:", err)
			os.Exit(1)
		}
	}
}
