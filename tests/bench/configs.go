// SPDX-License-Identifier: Apache-2.0

package main

import "embed"

// Each pipeline's configuration says at its top what it is.
//
//go:embed configs
var configs embed.FS

// config is the text of a file of configs/, which is a part of this program.
func config(name string) string {
	text, err := configs.ReadFile("configs/" + name + ".yaml")
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	return string(text)
}
