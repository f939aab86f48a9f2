package grpcframes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// framesOf cuts a message into frames of such a length.
func framesOf(message []byte, length int) (frames mem.BufferSlice) {
	for frame := range slices.Chunk(message, length) {
		frames = append(frames, mem.SliceBuffer(frame))
	}
	return frames
}

func randomBytes(length int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(length)))
	message := make([]byte, length)
	for i := range message {
		message[i] = byte(random.Uint32())
	}
	return message
}

func TestWhole(t *testing.T) {
	for _, length := range []int{0, 1, 100, 70_000, 3, 70_001, 1 << 20} {
		message := randomBytes(length)
		for _, frame := range []int{1, 7, 16 << 10, 1 << 20} {
			whole, free := Whole(framesOf(message, frame))
			assert.Len(t, whole, length)
			assert.Equal(t, string(message), string(whole))
			free()
		}
	}
}

// Two messages at a time have each a room of their own.
func TestWholesAtATime(t *testing.T) {
	one, other := randomBytes(50_000), randomBytes(60_000)
	first, freeFirst := Whole(framesOf(one, 1000))
	second, freeSecond := Whole(framesOf(other, 1000))
	assert.Equal(t, one, first)
	assert.Equal(t, other, second)
	freeFirst()
	freeSecond()
}

func TestMessageOfOneFrameIsNotCopied(t *testing.T) {
	message := []byte("message")
	whole, free := Whole(framesOf(message, 10))
	defer free()
	assert.Same(t, &message[0], &whole[0])
}

// What was decoded stays what it is when the bytes are another message's.
func TestCodec(t *testing.T) {
	c := codec{encoding.GetCodecV2(proto.Name)}
	assert.Equal(t, proto.Name, c.Name())
	var texts, got []string
	for i := range 10 {
		text := string(slices.Repeat([]byte{byte('a' + i)}, 50_000))
		encoded, err := c.Marshal(wrapperspb.String(text))
		require.NoError(t, err)
		var decoded wrapperspb.StringValue
		require.NoError(t, c.Unmarshal(framesOf(encoded.Materialize(), 16<<10), &decoded))
		texts, got = append(texts, text), append(got, decoded.Value)
	}
	assert.Equal(t, texts, got)
	assert.Error(t, c.Unmarshal(framesOf([]byte{0xff}, 1), &wrapperspb.StringValue{}))
}

// BenchmarkUnmarshal is what it takes to put together and decode a message of one value, by
// our room and by gRPC's pool.
func BenchmarkUnmarshal(b *testing.B) {
	standard := encoding.GetCodecV2(proto.Name)
	encoded, err := standard.Marshal(wrapperspb.String(string(make([]byte, 100_000))))
	require.NoError(b, err)
	frames := framesOf(encoded.Materialize(), 16<<10)
	for name, c := range map[string]encoding.CodecV2{"grpc": standard, "ours": codec{standard}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var decoded wrapperspb.StringValue
			for b.Loop() {
				require.NoError(b, c.Unmarshal(frames, &decoded))
			}
		})
	}
}
