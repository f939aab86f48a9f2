package grpcframes

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// codec decodes messages that it has put together itself.
type codec struct{ encoding.CodecV2 }

// Register has all servers and clients of the process that name no codec put messages
// together by Whole. It is for init functions: gRPC takes no codecs later.
func Register() { encoding.RegisterCodecV2(codec{encoding.GetCodecV2(proto.Name)}) }

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(frames mem.BufferSlice, message any) error {
	whole, free := Whole(frames)
	defer free()
	return c.CodecV2.Unmarshal(mem.BufferSlice{mem.SliceBuffer(whole)}, message)
}
