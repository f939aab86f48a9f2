package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
)

func TestCodecIsRegistered(t *testing.T) {
	assert.Equal(t, "grpcframes.codec", fmt.Sprintf("%T", encoding.GetCodecV2(proto.Name)))
}
