// Package kafka tests the profiles with Kafka between them.
package kafka
