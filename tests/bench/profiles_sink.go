// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"

	_ "go.opentelemetry.io/collector/config/configgrpc" // registers the compressions that agents use
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
)

// sink takes whatever OTLP comes, over gRPC as from agents and over HTTP as from gateways,
// and counts the bytes as they came.
type sink struct {
	grpcAddress, httpAddress string

	bytes atomic.Int64
	grpc  *grpc.Server
	http  *http.Server
}

func newSink() (*sink, error) { return newSinkAt(anyPort, anyPort) }

const anyPort = "127.0.0.1:0"

// newSinkAt listens at these addresses.
func newSinkAt(grpcAddress, httpAddress string) (*sink, error) {
	s := &sink{}
	overGRPC, err := net.Listen("tcp", grpcAddress)
	if err != nil {
		return nil, err
	}
	overHTTP, err := net.Listen("tcp", httpAddress)
	if err != nil {
		return nil, errors.Join(err, overGRPC.Close())
	}
	s.grpcAddress, s.httpAddress = overGRPC.Addr().String(), overHTTP.Addr().String()
	s.grpc = grpc.NewServer(grpc.UnknownServiceHandler(answer), grpc.ForceServerCodec(encoded{}), grpc.StatsHandler(s))
	s.http = &http.Server{Handler: s}
	// Both end with close, with errors that say no more than that.
	go func() { _ = s.grpc.Serve(overGRPC) }()
	go func() { _ = s.http.Serve(overHTTP) }()
	return s, nil
}

// answer says to any request that all of it was accepted: an empty message.
func answer(_ any, stream grpc.ServerStream) error {
	var request []byte
	if err := stream.RecvMsg(&request); err != nil {
		return err
	}
	return stream.SendMsg([]byte{})
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.bytes.Add(n)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (s *sink) HandleRPC(_ context.Context, event stats.RPCStats) {
	if in, ok := event.(*stats.InPayload); ok {
		s.bytes.Add(int64(in.CompressedLength))
	}
}

func (*sink) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (*sink) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (*sink) HandleConn(context.Context, stats.ConnStats)                       {}

func (s *sink) close() error {
	s.grpc.Stop()
	return s.http.Close()
}
