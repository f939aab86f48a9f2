// SPDX-License-Identifier: Apache-2.0

// Package command tests the command line, the doctor, and the size and memory of the binary.
package command
