package integration

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/dynamo"
	"sidestep/pkg/ledger/ledgertest"
)

// wire returns a DynamoDB client of a world of the test's own.
func wire(t *testing.T) *dynamodb.Client {
	t.Helper()
	return dynamodb.NewFromConfig(newWorld(t, "dynamodb").cfg)
}

// newTable makes a table for one test.
func newTable(t *testing.T, client *dynamodb.Client) string {
	t.Helper()
	name := fmt.Sprintf("sidestep-test-%d", time.Now().UnixNano())
	if err := dynamo.Create(t.Context(), client, name, clock.Real{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { drop(t, client, name) })
	return name
}

// drop is best effort: what a server in memory keeps is gone with it.
func drop(t *testing.T, client *dynamodb.Client, name string) {
	ctx, cancel := clock.Real{}.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	_, err := client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &name, DeletionProtectionEnabled: aws.Bool(false)})
	if err == nil {
		_, err = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	}
	if err != nil {
		t.Logf("table %s is left behind: %v", name, err)
	}
}

func TestLedgerOverDynamoDB(t *testing.T) {
	client := wire(t)
	ledgertest.Run(t, func(t *testing.T) ledger.Store { return dynamo.New(client, newTable(t, client)) })
}

func TestLedgerTableIsMadeAsDeployed(t *testing.T) {
	client := wire(t)
	name := newTable(t, client)
	if err := dynamo.Create(t.Context(), client, name, clock.Real{}); err != nil {
		t.Errorf("creating it again returned %v", err)
	}
	out, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	if !aws.ToBool(out.Table.DeletionProtectionEnabled) {
		t.Error("deletion protection is off")
	}
	if b := out.Table.BillingModeSummary; b == nil || b.BillingMode != types.BillingModePayPerRequest {
		t.Errorf("billing is %v, want on demand", b)
	}
	wantProtected(t, client, name, out.Table.TableArn)
	// The schema is for Ledger.Init to write.
	l := ledger.New(dynamo.New(client, name), clock.Real{}, "111122223333", "us-east-1", time.Minute)
	if err := l.Check(t.Context()); !errors.Is(err, ledger.ErrSchema) {
		t.Errorf("the new table's schema is %v, want %v", err, ledger.ErrSchema)
	}
}

// wantProtected checks point-in-time recovery and the tags.
func wantProtected(t *testing.T, client *dynamodb.Client, name string, arn *string) {
	t.Helper()
	backups, err := client.DescribeContinuousBackups(t.Context(), &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	recovery := backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription
	if recovery == nil || recovery.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		t.Errorf("point-in-time recovery is %v, want enabled", recovery)
	}
	tags, err := client.ListTagsOfResource(t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	if want := []types.Tag{{Key: aws.String("app"), Value: aws.String("sidestep")}}; !reflect.DeepEqual(tags.Tags, want) {
		t.Errorf("tags are %v, want app=sidestep", tags.Tags)
	}
}

func TestLedgerRefusesAnotherTable(t *testing.T) {
	client := wire(t)
	name := fmt.Sprintf("sidestep-test-%d", time.Now().UnixNano())
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { drop(t, client, name) })
	if err := dynamo.Create(t.Context(), client, name, clock.Real{}); !errors.Is(err, dynamo.ErrOtherTable) {
		t.Errorf("returned %v, want %v", err, dynamo.ErrOtherTable)
	}
}

func TestLedgerWithoutATable(t *testing.T) {
	store := dynamo.New(wire(t), "sidestep-test-none")
	op := ledger.Op{Put: ledger.Item{"pk": "p", "sk": "1"}}
	beside := ledger.Op{Delete: ledger.Item{"pk": "p", "sk": "2"}}
	for name, call := range map[string]func() error{
		"put":           func() error { return store.Write(t.Context(), op) },
		"delete":        func() error { return store.Write(t.Context(), beside) },
		"transaction":   func() error { return store.Write(t.Context(), op, beside) },
		"get":           func() error { _, err := store.Get(t.Context(), "p", "1"); return err },
		"query":         func() error { _, err := store.Query(t.Context(), "p", ""); return err },
		"query by kind": func() error { _, err := store.QueryKind(t.Context(), "k", ""); return err },
		"scan":          func() error { _, err := store.Scan(t.Context()); return err },
	} {
		if err := call(); !errors.Is(err, ledger.ErrNoTable) || errors.Is(err, ledger.ErrCondition) {
			t.Errorf("%s returned %v, want %v", name, err, ledger.ErrNoTable)
		}
	}
}

// TestRemovedSubnetsIsAList: what others read the table with is told that it is a
// list of strings, in order, which a set is not.
func TestRemovedSubnetsIsAList(t *testing.T) {
	client := wire(t)
	name := newTable(t, client)
	record := ledger.Record{Zone: "use1-az1", ARN: "arn:web", Kind: "autoscaling-group", State: ledger.Planned, Fence: 12}
	record.RemovedSubnets = []string{"subnet-b", "subnet-a"}
	if err := dynamo.New(client, name).Write(t.Context(), ledger.Op{Put: ledger.ItemOf(record)}); err != nil {
		t.Fatal(err)
	}
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &name, Key: map[string]types.AttributeValue{"pk": s("use1-az1"), "sk": s("arn:web")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for attribute, want := range map[string]types.AttributeValue{
		"removedSubnets": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("subnet-b"), s("subnet-a")}},
		"fence":          &types.AttributeValueMemberN{Value: "12"},
		"kind":           s("autoscaling-group"),
	} {
		if got := out.Item[attribute]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is stored as %#v, want %#v", attribute, got, want)
		}
	}
}
