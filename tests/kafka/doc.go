// SPDX-License-Identifier: Apache-2.0

// Package kafka tests the profiles with Kafka between them.
package kafka
