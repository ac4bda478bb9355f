package dynamo

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"sidestep/pkg/clock"
)

// fakeTable is a table that takes its time.
type fakeTable struct {
	table    *types.TableDescription // nil until it is created
	hidden   int                     // describes that do not find it yet
	creating int                     // describes that see the table being made
	indexing int                     // and then the index
	tooNew   int                     // refusals of point-in-time recovery

	recovery bool
	creates  int
}

func (f *fakeTable) CreateTable(_ context.Context, in *dynamodb.CreateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	f.creates++
	if f.table != nil {
		return nil, &types.ResourceInUseException{}
	}
	f.table = described(in)
	return &dynamodb.CreateTableOutput{}, nil
}

func described(in *dynamodb.CreateTableInput) *types.TableDescription {
	table := &types.TableDescription{KeySchema: in.KeySchema, AttributeDefinitions: in.AttributeDefinitions}
	for _, i := range in.GlobalSecondaryIndexes {
		table.GlobalSecondaryIndexes = append(table.GlobalSecondaryIndexes, types.GlobalSecondaryIndexDescription{
			IndexName: i.IndexName, KeySchema: i.KeySchema, Projection: i.Projection,
		})
	}
	return table
}

func (f *fakeTable) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	if f.table == nil {
		return nil, &types.ResourceNotFoundException{}
	}
	if f.hidden--; f.hidden >= 0 {
		return nil, &types.ResourceNotFoundException{}
	}
	f.table.TableStatus = types.TableStatusActive
	index := types.IndexStatusActive
	if f.creating--; f.creating >= 0 {
		f.table.TableStatus, index = types.TableStatusCreating, types.IndexStatusCreating
	} else if f.indexing--; f.indexing >= 0 {
		index = types.IndexStatusCreating
	}
	for i := range f.table.GlobalSecondaryIndexes {
		f.table.GlobalSecondaryIndexes[i].IndexStatus = index
	}
	return &dynamodb.DescribeTableOutput{Table: f.table}, nil
}

func (f *fakeTable) UpdateContinuousBackups(context.Context, *dynamodb.UpdateContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	if f.tooNew--; f.tooNew >= 0 {
		return nil, &types.ContinuousBackupsUnavailableException{}
	}
	f.recovery = true
	return &dynamodb.UpdateContinuousBackupsOutput{}, nil
}

func TestCreateWaits(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clk := clock.NewVirtual(start)
	fake := &fakeTable{hidden: 1, creating: 2, indexing: 1, tooNew: 3}
	if err := Create(t.Context(), fake, "ledger", clk); err != nil {
		t.Fatal(err)
	}
	if waited := clk.Now().Sub(start); waited != 7*createPoll {
		t.Errorf("waited %v, want %v", waited, 7*createPoll)
	}
	if !fake.recovery {
		t.Error("point-in-time recovery is off")
	}
	// An earlier Create may have died before the last step.
	fake.recovery = false
	if err := Create(t.Context(), fake, "ledger", clk); err != nil || !fake.recovery || fake.creates != 1 {
		t.Errorf("creating again returned %v, with recovery %t and %d calls to create", err, fake.recovery, fake.creates)
	}
}

func TestCreateGivesUp(t *testing.T) {
	for name, fake := range map[string]*fakeTable{
		"hidden": {hidden: 1e6}, "creating": {creating: 1e6}, "indexing": {indexing: 1e6}, "too new": {tooNew: 1e6},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			clk := clock.NewVirtual(start)
			err := Create(t.Context(), fake, "ledger", clk)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("returned %v, want the deadline", err)
			}
			if waited := clk.Now().Sub(start); waited != createDeadline {
				t.Errorf("gave up after %v, want %v", waited, createDeadline)
			}
		})
	}
}

func TestCreateRefusesOtherTables(t *testing.T) {
	for name, change := range map[string]func(*dynamodb.CreateTableInput){
		"no index":           func(in *dynamodb.CreateTableInput) { in.GlobalSecondaryIndexes = nil },
		"index of keys only": func(in *dynamodb.CreateTableInput) { in.GlobalSecondaryIndexes[0].Projection = keysOnly },
		"other index key": func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].KeySchema = keySchema(kind, sortKey)
		},
		"index without range": func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].KeySchema = in.GlobalSecondaryIndexes[0].KeySchema[:1]
		},
		"other key":     func(in *dynamodb.CreateTableInput) { in.KeySchema = keySchema("PK", "SK") },
		"keys swapped":  func(in *dynamodb.CreateTableInput) { in.KeySchema = keySchema(sortKey, partitionKey) },
		"no sort key":   func(in *dynamodb.CreateTableInput) { in.KeySchema = in.KeySchema[:1] },
		"numeric key":   func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions[1].AttributeType = "N" },
		"numeric index": func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions[2].AttributeType = "N" },
	} {
		t.Run(name, func(t *testing.T) {
			in := layout("ledger")
			change(in)
			fake := &fakeTable{table: described(in)}
			err := Create(t.Context(), fake, "ledger", clock.NewVirtual(time.Now()))
			if !errors.Is(err, ErrOtherTable) || fake.recovery {
				t.Errorf("returned %v, want %v, and recovery %t", err, ErrOtherTable, fake.recovery)
			}
		})
	}
}

var keysOnly = &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}

func TestLayout(t *testing.T) {
	in := layout("ledger")
	if in.BillingMode != types.BillingModePayPerRequest || !aws.ToBool(in.DeletionProtectionEnabled) {
		t.Errorf("the table is billed %s with deletion protection %t", in.BillingMode, aws.ToBool(in.DeletionProtectionEnabled))
	}
}
