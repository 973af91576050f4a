package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"
)

// carrier takes calls to where the cloud is.
type carrier struct {
	url string
}

type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	AfterMs int64  `json:"afterMs"`
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *failure        `json:"error"`
}

// call asks for capability/method and decodes what comes of it into result, unless that is nil.
func (c *carrier) call(ctx context.Context, path string, result any, args ...any) error {
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(map[string]any{"args": args})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", path, response.Status, text)
	}
	var given answer
	if err := json.Unmarshal(text, &given); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if given.Error != nil {
		return given.Error.asError()
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(given.Result, result)
}

// asError makes of a failure what upstream's controllers compare with.
func (f *failure) asError() error {
	switch f.Kind {
	case "instanceNotFound":
		return cloudprovider.InstanceNotFound
	case "notImplemented":
		return cloudprovider.NotImplemented
	case "implementedElsewhere":
		return cloudprovider.ImplementedElsewhere
	case "conflict":
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: f.Message,
		}}
	case "retry":
		return api.NewRetryError(f.Message, time.Duration(f.AfterMs)*time.Millisecond)
	default:
		return errors.New(f.Message)
	}
}
