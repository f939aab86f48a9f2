// SPDX-License-Identifier: Apache-2.0

// Package explore plays what nobody thought of: a disk, a network and a clock that a number decides about.
package explore
