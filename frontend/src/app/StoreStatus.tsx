import { Database } from 'lucide-react'
import { useState } from 'react'
import type { components } from '../api/schema'
import { Badge } from '../ui/Badge'
import { Dialog } from '../ui/Dialog'
import { Cell, Table } from '../ui/Table'
import { plural } from '../units'
import styles from './app.module.css'
import headerStyles from './header.module.css'

type Store = components['schemas']['StoreRead']
type Cluster = components['schemas']['ClusterRead']

/** The kind of store and whether it answers. For a cluster: how many nodes are up, and a click lists them all. */
export function StoreStatus({ store, isAway }: { store: Store | null; isAway: boolean }) {
  if (isAway || !store) {
    return (
      <span className={styles['statusItem']}>
        <Database size={12} aria-hidden />
        Server not answering
        <span className={headerStyles['saveDot']} data-tone="danger" aria-hidden />
      </span>
    )
  }
  return <KnownStore store={store} />
}

function KnownStore({ store }: { store: Store }) {
  const [isOpen, setOpen] = useState(false)
  const { cluster } = store
  const state = (
    <>
      <Database size={12} aria-hidden />
      {cluster ? storeName(cluster) : store.kind === 'embedded' ? 'Embedded store' : 'CQL cluster'}
      <span className={headerStyles['saveDot']} data-tone={store.healthy ? 'accent' : 'danger'} aria-hidden />
      {store.healthy ? <span className="visually-hidden">answering</span> : 'not answering'}
    </>
  )
  if (!cluster) {
    return (
      <span className={styles['statusItem']} title={store.url}>
        {state}
      </span>
    )
  }
  return (
    <>
      <button type="button" className={styles['statusButton']} title={store.url} onClick={() => setOpen(true)}>
        {state}
      </button>
      {isOpen ? <ClusterDialog cluster={cluster} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function storeName({ nodes }: Cluster): string {
  const up = nodes.filter((node) => node.is_up).length
  return up === nodes.length
    ? `Cluster of ${plural(up, 'node')}`
    : `Cluster, ${up} of ${plural(nodes.length, 'node')} up`
}

function ClusterDialog({ cluster, onClose }: { cluster: Cluster; onClose: () => void }) {
  return (
    <Dialog title="Cluster" onClose={onClose}>
      <p>
        Keyspace {cluster.keyspace}, copies of each row: {cluster.replication}; reads and writes at{' '}
        {cluster.consistency}, through {cluster.driver}.
      </p>
      <Table label="Nodes" columns={['Node', 'State', 'Version', 'Data center', 'Rack']}>
        {cluster.nodes.map((node) => (
          <tr key={node.address}>
            <Cell>{node.address}</Cell>
            <Cell>
              <Badge tone={node.is_up ? 'accent' : 'danger'}>{node.is_up ? 'up' : 'down'}</Badge>
            </Cell>
            <Cell>{node.version}</Cell>
            <Cell>{node.datacenter}</Cell>
            <Cell>{node.rack}</Cell>
          </tr>
        ))}
      </Table>
    </Dialog>
  )
}
