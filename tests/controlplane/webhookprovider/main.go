// Program webhookprovider is a small cloud behind kubeloop's webhook, written from manifests/cloud-webhook.openapi.yaml alone: a machine
// for each Node, an address for each Service, and routes. It keeps what it has in a file, and asks for a client certificate, a token or
// both.
package main

import (
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

type object struct {
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
	} `json:"metadata"`
	Spec struct {
		ProviderID string `json:"providerID"`
		Ports      []struct {
			Port int `json:"port"`
		} `json:"ports"`
	} `json:"spec"`
}

type balancer struct {
	Address string   `json:"address"`
	Ports   []int    `json:"ports"`
	Nodes   []string `json:"nodes"`
}

type route struct {
	Name            string `json:"name"`
	TargetNode      string `json:"targetNode"`
	DestinationCIDR string `json:"destinationCIDR"`
}

type cloud struct {
	mutex     sync.Mutex
	file      string
	Balancers map[string]*balancer `json:"balancers"`
	Routes    []route              `json:"routes"`
}

type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

func (f failure) Error() string { return f.Message }

func (c *cloud) answer(method string, args []json.RawMessage) (any, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	read := func(i int, into any) {
		if i < len(args) {
			_ = json.Unmarshal(args[i], into)
		}
	}
	var node, service object
	var nodes []object
	switch method {
	case "describe":
		names := []string{"loadBalancers", "instances", "routes"}
		return map[string]any{"name": "example", "hasClusterId": true, "capabilities": names}, nil
	case "instances/instanceExists":
		read(0, &node)
		return !strings.HasPrefix(node.Metadata.Name, "gone-"), nil
	case "instances/instanceShutdown":
		return false, nil
	case "instances/instanceMetadata":
		read(0, &node)
		addresses := []map[string]string{{"type": "InternalIP", "address": "10.1.0.1"}}
		return map[string]any{
			"providerID": "example://" + node.Metadata.Name, "instanceType": "small", "zone": "z1", "region": "r1",
			"nodeAddresses": addresses,
		}, nil
	case "loadBalancers/getLoadBalancer", "loadBalancers/ensureLoadBalancer", "loadBalancers/updateLoadBalancer":
		read(1, &service)
		read(2, &nodes)
		return c.balance(strings.TrimPrefix(method, "loadBalancers/"), service, nodes)
	case "loadBalancers/ensureLoadBalancerDeleted":
		read(1, &service)
		delete(c.Balancers, service.Metadata.UID)
		return nil, c.save()
	case "routes/listRoutes":
		return append([]route{}, c.Routes...), nil
	case "routes/createRoute":
		var wanted route
		read(2, &wanted)
		wanted.Name = "to-" + wanted.TargetNode
		c.Routes = append(c.Routes, wanted)
		return nil, c.save()
	case "routes/deleteRoute":
		var gone route
		read(1, &gone)
		kept := c.Routes[:0]
		for _, each := range c.Routes {
			if each.DestinationCIDR != gone.DestinationCIDR {
				kept = append(kept, each)
			}
		}
		c.Routes = kept
		return nil, c.save()
	}
	return nil, failure{"notImplemented", "there is no " + method}
}

func (c *cloud) balance(method string, service object, nodes []object) (any, error) {
	found := c.Balancers[service.Metadata.UID]
	if method == "ensureLoadBalancer" && found == nil {
		found = &balancer{Address: fmt.Sprintf("192.0.2.%d", len(c.Balancers)+1)}
		c.Balancers[service.Metadata.UID] = found
	}
	if found == nil {
		if method == "getLoadBalancer" {
			return nil, nil
		}
		return nil, failure{"other", "there is no such balancer"}
	}
	if method != "getLoadBalancer" {
		found.Ports, found.Nodes = nil, nil
		for _, each := range service.Spec.Ports {
			found.Ports = append(found.Ports, each.Port)
		}
		for _, each := range nodes {
			found.Nodes = append(found.Nodes, each.Metadata.Name)
		}
		if err := c.save(); err != nil || method == "updateLoadBalancer" {
			return nil, err
		}
	}
	return map[string]any{"ingress": []map[string]string{{"ip": found.Address}}}, nil
}

func (c *cloud) save() error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.file+".next", text, 0o600); err != nil {
		return err
	}
	return os.Rename(c.file+".next", c.file)
}

func (c *cloud) serve(token string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given := []byte(r.Header.Get("Authorization"))
		if token != "" && subtle.ConstantTimeCompare(given, []byte("Bearer "+token)) != 1 {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		var body struct {
			Args []json.RawMessage `json:"args"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		result, err := c.answer(strings.TrimPrefix(r.URL.Path, "/v1/"), body.Args)
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			known, isKnown := err.(failure)
			if !isKnown {
				known = failure{"other", err.Error()}
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"error": known})
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"result": result})
	}
}

func main() {
	port := flag.Int("port", 0, "any if 0")
	certificate := flag.String("certificate", "", "PEM file")
	key := flag.String("key", "", "PEM file")
	clients := flag.String("clients", "", "authority of client certificates, which are asked for if it is given")
	token := flag.String("token", "", "which is asked for if it is given")
	state := flag.String("state", "", "file that holds what there is")
	flag.Parse()

	there := &cloud{file: *state, Balancers: map[string]*balancer{}}
	if text, err := os.ReadFile(*state); err == nil {
		if err := json.Unmarshal(text, there); err != nil {
			log.Fatal(err)
		}
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if *clients != "" {
		text, err := os.ReadFile(*clients)
		if err != nil {
			log.Fatal(err)
		}
		config.ClientCAs = x509.NewCertPool()
		config.ClientCAs.AppendCertsFromPEM(text)
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: there.serve(*token), TLSConfig: config}
	log.Fatal(server.ServeTLS(listener, *certificate, *key))
}
