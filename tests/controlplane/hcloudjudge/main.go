// Command hcloudjudge drives the emulator of the Hetzner Cloud API with the vendor's own client library, every call that a cloud
// controller manager makes, and says what the client reads back that it should not.
//
// It expects an empty project but for the network "cluster" and the servers "node-1" and "node-2" in it.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

const label = "hcloud-ccm/service-uid"

var (
	ctx    = context.Background()
	client = newClient(os.Getenv("HCLOUD_TOKEN"))
	claims int
	wrong  int
)

func newClient(token string) *hcloud.Client {
	return hcloud.NewClient(
		hcloud.WithEndpoint(os.Getenv("HCLOUD_ENDPOINT")),
		hcloud.WithToken(token),
		hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: hcloud.ConstantBackoff(20 * time.Millisecond)}),
		hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0}),
	)
}

// claim notes whether something is as it has to be.
func claim(holds bool, what string, args ...any) {
	claims++
	if !holds {
		wrong++
		fmt.Printf("wrong: "+what+"\n", args...)
	}
}

// must ends the program where nothing that follows would make sense.
func must(err error, what string) {
	if err != nil {
		fmt.Printf("wrong: %s: %v\n", what, err)
		os.Exit(1)
	}
}

// done waits for an action.
func done(what string) func(action *hcloud.Action, _ *hcloud.Response, err error) {
	return func(action *hcloud.Action, _ *hcloud.Response, err error) {
		must(err, what)
		claim(action != nil && action.ID > 0, "%s: there is no action", what)
		must(client.Action.WaitFor(ctx, action), what)
	}
}

// refused claims that a call failed with a code.
func refused(what string, code hcloud.ErrorCode) func(_ any, _ *hcloud.Response, err error) {
	return func(_ any, _ *hcloud.Response, err error) {
		claim(hcloud.IsError(err, code), "%s: %v, and not %s", what, err, code)
	}
}

func main() {
	readServers()
	network := changeNetwork()
	certificate := makeCertificate()
	balancer := makeBalancer()
	changeBalancer(balancer.ID)
	changeServices(balancer.ID, certificate)
	changeTargets(balancer.ID, network)
	removeBalancer(balancer.ID)
	_, err := newClient("nobody").Server.All(ctx)
	claim(hcloud.IsError(err, hcloud.ErrorCodeUnauthorized), "another token: %v", err)
	fmt.Printf("%d claims, %d wrong\n", claims, wrong)
	if wrong > 0 {
		os.Exit(1)
	}
}

func readServers() {
	servers, err := client.Server.All(ctx)
	must(err, "Server.All")
	claim(len(servers) == 2, "there are %d servers", len(servers))
	first := servers[0]
	claim(first.Name == "node-1" && first.Status == hcloud.ServerStatusRunning, "server is %q, %q", first.Name, first.Status)
	claim(first.ServerType.Name != "" && first.Location.Name == "fsn1", "server is of %q at %q", first.ServerType.Name, first.Location.Name)
	claim(first.PublicNet.IPv4.IP.To4() != nil, "server has the address %v", first.PublicNet.IPv4.IP)
	claim(first.PublicNet.IPv6.Network != nil, "server has the network %v", first.PublicNet.IPv6.Network)
	claim(len(first.PrivateNet) == 1 && first.PrivateNet[0].IP.To4() != nil, "server is in the networks %v", first.PrivateNet)
	byID, _, err := client.Server.GetByID(ctx, first.ID)
	claim(err == nil && byID != nil && byID.Name == first.Name, "server by ID: %v, %v", byID, err)
	byName, _, err := client.Server.GetByName(ctx, "node-2")
	claim(err == nil && byName != nil && byName.ID == servers[1].ID, "server by name: %v, %v", byName, err)
	none, _, err := client.Server.GetByID(ctx, 999999)
	claim(err == nil && none == nil, "no server by ID: %v, %v", none, err)
	none, _, err = client.Server.GetByName(ctx, "nobody")
	claim(err == nil && none == nil, "no server by name: %v, %v", none, err)
	locations, err := client.Location.All(ctx)
	claim(err == nil && len(locations) > 0 && locations[0].NetworkZone != "", "locations: %v, %v", locations, err)
	types, err := client.LoadBalancerType.All(ctx)
	claim(err == nil && len(types) > 1 && types[0].Name == "lb11" && types[0].MaxTargets == 25, "types: %v, %v", types, err)
	claim(!types[0].IsDeprecated(), "type lb11 is deprecated")
}

func changeNetwork() *hcloud.Network {
	network, _, err := client.Network.GetByName(ctx, "cluster")
	must(err, "Network.GetByName")
	claim(network != nil && len(network.Servers) == 2, "network is %v", network)
	_, destination, _ := net.ParseCIDR("10.244.1.0/24")
	route := hcloud.NetworkRoute{Destination: destination, Gateway: net.ParseIP("10.0.0.2")}
	done("AddRoute")(client.Network.AddRoute(ctx, network, hcloud.NetworkAddRouteOpts{Route: route}))
	network, _, err = client.Network.GetByID(ctx, network.ID)
	must(err, "Network.GetByID")
	claim(len(network.Routes) == 1 && network.Routes[0].Destination.String() == destination.String() &&
		network.Routes[0].Gateway.Equal(route.Gateway), "routes are %v", network.Routes)
	done("DeleteRoute")(client.Network.DeleteRoute(ctx, network, hcloud.NetworkDeleteRouteOpts{Route: route}))
	network, _, err = client.Network.GetByID(ctx, network.ID)
	must(err, "Network.GetByID")
	claim(len(network.Routes) == 0, "routes are %v", network.Routes)
	action, response, err := client.Network.DeleteRoute(ctx, network, hcloud.NetworkDeleteRouteOpts{Route: route})
	refused("DeleteRoute again", hcloud.ErrorCodeNotFound)(action, response, err)
	return network
}

func makeCertificate() *hcloud.Certificate {
	opts := hcloud.CertificateCreateOpts{
		Name:        "managed",
		Type:        hcloud.CertificateTypeManaged,
		DomainNames: []string{"example.com"},
		Labels:      map[string]string{label: "uid-1"},
	}
	result, _, err := client.Certificate.CreateCertificate(ctx, opts)
	must(err, "CreateCertificate")
	must(client.Action.WaitFor(ctx, result.Action), "CreateCertificate")
	found, err := client.Certificate.AllWithOpts(ctx, hcloud.CertificateListOpts{ListOpts: hcloud.ListOpts{LabelSelector: label + "=uid-1"}})
	claim(err == nil && len(found) == 1 && found[0].ID == result.Certificate.ID, "certificates by label: %v, %v", found, err)
	byName, _, err := client.Certificate.GetByName(ctx, "managed")
	claim(err == nil && byName != nil && byName.DomainNames[0] == "example.com", "certificate by name: %v, %v", byName, err)
	again, response, err := client.Certificate.CreateCertificate(ctx, opts)
	refused("CreateCertificate again", hcloud.ErrorCodeUniquenessError)(again, response, err)
	return result.Certificate
}

func makeBalancer() *hcloud.LoadBalancer {
	opts := hcloud.LoadBalancerCreateOpts{
		Name:             "web",
		LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"},
		Algorithm:        &hcloud.LoadBalancerAlgorithm{Type: hcloud.LoadBalancerAlgorithmTypeRoundRobin},
		Location:         &hcloud.Location{Name: "fsn1"},
		Labels:           map[string]string{label: "uid-1"},
	}
	result, _, err := client.LoadBalancer.Create(ctx, opts)
	must(err, "LoadBalancer.Create")
	// While it is being made, it is locked.
	action, response, err := client.LoadBalancer.DisablePublicInterface(ctx, result.LoadBalancer)
	refused("DisablePublicInterface meanwhile", hcloud.ErrorCodeLocked)(action, response, err)
	must(client.Action.WaitFor(ctx, result.Action), "LoadBalancer.Create")
	again, response, err := client.LoadBalancer.Create(ctx, opts)
	refused("LoadBalancer.Create again", hcloud.ErrorCodeUniquenessError)(again, response, err)
	balancer := read(result.LoadBalancer.ID)
	claim(balancer.PublicNet.Enabled && balancer.PublicNet.IPv4.IP.To4() != nil && balancer.PublicNet.IPv6.IP.To16() != nil,
		"balancer has the addresses %v", balancer.PublicNet)
	claim(balancer.LoadBalancerType.MaxTargets == 25, "balancer is of %v", balancer.LoadBalancerType)
	found, err := client.LoadBalancer.AllWithOpts(ctx, hcloud.LoadBalancerListOpts{ListOpts: hcloud.ListOpts{LabelSelector: label + "=uid-1"}})
	claim(err == nil && len(found) == 1 && found[0].ID == balancer.ID, "balancers by label: %v, %v", found, err)
	none, err := client.LoadBalancer.AllWithOpts(ctx, hcloud.LoadBalancerListOpts{ListOpts: hcloud.ListOpts{LabelSelector: label + "=uid-2"}})
	claim(err == nil && len(none) == 0, "balancers by another label: %v, %v", none, err)
	byName, _, err := client.LoadBalancer.GetByName(ctx, "web")
	claim(err == nil && byName != nil && byName.ID == balancer.ID, "balancer by name: %v, %v", byName, err)
	return balancer
}

func read(id int64) *hcloud.LoadBalancer {
	balancer, _, err := client.LoadBalancer.GetByID(ctx, id)
	must(err, "LoadBalancer.GetByID")
	if balancer == nil {
		must(fmt.Errorf("there is none of ID %d", id), "LoadBalancer.GetByID")
	}
	return balancer
}

func changeBalancer(id int64) {
	lb := &client.LoadBalancer
	balancer := read(id)
	updated, _, err := lb.Update(ctx, balancer, hcloud.LoadBalancerUpdateOpts{Name: "shop", Labels: map[string]string{"a": "b"}})
	claim(err == nil && updated.Name == "shop" && updated.Labels["a"] == "b", "Update: %v, %v", updated, err)
	name := "shop.example.com"
	done("ChangeDNSPtr")(lb.ChangeDNSPtr(ctx, balancer, balancer.PublicNet.IPv4.IP.String(), &name))
	done("ChangeAlgorithm")(lb.ChangeAlgorithm(ctx, balancer, hcloud.LoadBalancerChangeAlgorithmOpts{
		Type: hcloud.LoadBalancerAlgorithmTypeLeastConnections,
	}))
	done("ChangeType")(lb.ChangeType(ctx, balancer, hcloud.LoadBalancerChangeTypeOpts{
		LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb21"},
	}))
	done("DisablePublicInterface")(lb.DisablePublicInterface(ctx, balancer))
	balancer = read(id)
	claim(balancer.PublicNet.IPv4.DNSPtr == name, "the name of the address is %q", balancer.PublicNet.IPv4.DNSPtr)
	claim(balancer.Algorithm.Type == hcloud.LoadBalancerAlgorithmTypeLeastConnections, "algorithm is %v", balancer.Algorithm)
	claim(balancer.LoadBalancerType.Name == "lb21", "type is %v", balancer.LoadBalancerType)
	claim(!balancer.PublicNet.Enabled, "the public interface is enabled")
	done("EnablePublicInterface")(lb.EnablePublicInterface(ctx, balancer))
	claim(read(id).PublicNet.Enabled, "the public interface is disabled")
}

func changeServices(id int64, certificate *hcloud.Certificate) {
	lb := &client.LoadBalancer
	balancer := read(id)
	port, nodePort, other := 443, 30443, 30444
	interval := 7 * time.Second
	add := hcloud.LoadBalancerAddServiceOpts{
		Protocol:        hcloud.LoadBalancerServiceProtocolHTTPS,
		ListenPort:      &port,
		DestinationPort: &nodePort,
		HTTP:            &hcloud.LoadBalancerAddServiceOptsHTTP{Certificates: []*hcloud.Certificate{certificate}},
		HealthCheck: &hcloud.LoadBalancerAddServiceOptsHealthCheck{
			Protocol: hcloud.LoadBalancerServiceProtocolTCP, Port: &nodePort, Interval: &interval,
		},
	}
	done("AddService")(lb.AddService(ctx, balancer, add))
	service := read(id).Services[0]
	claim(service.Protocol == hcloud.LoadBalancerServiceProtocolHTTPS && service.DestinationPort == nodePort, "service is %v", service)
	claim(service.HTTP.Certificates[0].ID == certificate.ID && service.HTTP.CookieLifetime == 5*time.Minute, "HTTP is %v", service.HTTP)
	claim(service.HealthCheck.Interval == interval && service.HealthCheck.Retries == 3, "health check is %v", service.HealthCheck)
	action, response, err := lb.AddService(ctx, balancer, add)
	refused("AddService again", hcloud.ErrorCodeSourcePortAlreadyUsed)(action, response, err)
	yes := true
	done("UpdateService")(lb.UpdateService(ctx, balancer, port, hcloud.LoadBalancerUpdateServiceOpts{
		DestinationPort: &other,
		Proxyprotocol:   &yes,
		HealthCheck:     &hcloud.LoadBalancerUpdateServiceOptsHealthCheck{Protocol: hcloud.LoadBalancerServiceProtocolTCP, Port: &other},
	}))
	service = read(id).Services[0]
	claim(service.DestinationPort == other && service.Proxyprotocol, "service is %v", service)
	claim(service.HealthCheck.Interval == interval && service.HealthCheck.Port == other, "health check is %v", service.HealthCheck)
	claim(len(service.HTTP.Certificates) == 1, "certificates are %v", service.HTTP.Certificates)
	done("DeleteService")(lb.DeleteService(ctx, balancer, port))
	claim(len(read(id).Services) == 0, "services are %v", read(id).Services)
	action, response, err = lb.DeleteService(ctx, balancer, port)
	refused("DeleteService again", hcloud.ErrorCodeNotFound)(action, response, err)
}

func changeTargets(id int64, network *hcloud.Network) {
	lb := &client.LoadBalancer
	balancer := read(id)
	servers, err := client.Server.All(ctx)
	must(err, "Server.All")
	yes, no := true, false
	private := hcloud.LoadBalancerAddServerTargetOpts{Server: servers[0], UsePrivateIP: &yes}
	action, response, err := lb.AddServerTarget(ctx, balancer, private)
	refused("AddServerTarget without a network", hcloud.ErrorCodeServerNotAttachedToNetwork)(action, response, err)
	done("AttachToNetwork")(lb.AttachToNetwork(ctx, balancer, hcloud.LoadBalancerAttachToNetworkOpts{
		Network: network, IP: net.ParseIP("10.0.9.9"),
	}))
	done("AddServerTarget")(lb.AddServerTarget(ctx, balancer, private))
	done("AddServerTarget")(lb.AddServerTarget(ctx, balancer, hcloud.LoadBalancerAddServerTargetOpts{Server: servers[1], UsePrivateIP: &no}))
	action, response, err = lb.AddServerTarget(ctx, balancer, private)
	refused("AddServerTarget again", hcloud.ErrorCodeTargetAlreadyDefined)(action, response, err)
	balancer = read(id)
	claim(len(balancer.PrivateNet) == 1 && balancer.PrivateNet[0].IP.String() == "10.0.9.9", "networks are %v", balancer.PrivateNet)
	claim(len(balancer.Targets) == 2 && balancer.Targets[0].Server.Server.ID == servers[0].ID && balancer.Targets[0].UsePrivateIP,
		"targets are %v", balancer.Targets)
	done("RemoveServerTarget")(lb.RemoveServerTarget(ctx, balancer, servers[1]))
	claim(len(read(id).Targets) == 1, "targets are %v", read(id).Targets)
	done("DetachFromNetwork")(lb.DetachFromNetwork(ctx, balancer, hcloud.LoadBalancerDetachFromNetworkOpts{Network: network}))
	balancer = read(id)
	claim(len(balancer.PrivateNet) == 0 && len(balancer.Targets) == 0, "after detaching: %v, %v", balancer.PrivateNet, balancer.Targets)
	action, response, err = lb.RemoveServerTarget(ctx, balancer, servers[1])
	claim(err != nil, "RemoveServerTarget again: %v %v", action, response)
}

func removeBalancer(id int64) {
	lb := &client.LoadBalancer
	balancer := read(id)
	yes, no := true, false
	done("ChangeProtection")(lb.ChangeProtection(ctx, balancer, hcloud.LoadBalancerChangeProtectionOpts{Delete: &yes}))
	claim(read(id).Protection.Delete, "it is not protected")
	_, err := lb.Delete(ctx, balancer)
	claim(hcloud.IsError(err, hcloud.ErrorCodeProtected), "Delete of what is protected: %v", err)
	done("ChangeProtection")(lb.ChangeProtection(ctx, balancer, hcloud.LoadBalancerChangeProtectionOpts{Delete: &no}))
	_, err = lb.Delete(ctx, balancer)
	claim(err == nil, "Delete: %v", err)
	_, err = lb.Delete(ctx, balancer)
	claim(hcloud.IsError(err, hcloud.ErrorCodeNotFound), "Delete again: %v", err)
	none, _, err := lb.GetByID(ctx, id)
	claim(err == nil && none == nil, "after deletion: %v, %v", none, err)
}
