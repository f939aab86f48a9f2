// Package grpcframes puts together the frames in which messages of gRPC come.
package grpcframes
