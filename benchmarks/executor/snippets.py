"""Ten pieces of pandas as models write them, over two small boxes."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["SNIPPETS", "frames"]

SNIPPETS = {
    "count": "answer = len(orders)",
    "filter": "answer = orders[orders['amount'] > 50]['id'].tolist()[:10]",
    "total by group": "answer = orders.groupby('customer_id')['amount'].sum().nlargest(3)",
    "merge": "answer = orders.merge(customers, left_on='customer_id', right_on='id').groupby('city')['amount'].mean()",
    "sort": "answer = orders.sort_values(['amount', 'id'], ascending=[False, True]).head(5)[['id', 'amount']]",
    "text": "answer = customers[customers['name'].str.contains('7')]['city'].value_counts().to_dict()",
    "dates": "answer = orders.groupby(pd.to_datetime(orders['day']).dt.month)['amount'].max()",
    "pivot": "m = orders.merge(customers, left_on='customer_id', right_on='id')\n"
    "answer = m.pivot_table(index='city', values='amount', aggfunc='sum')",
    "new column": "o = orders.copy()\no['double'] = o['amount'] * 2\n"
    "answer = float(o.loc[o['id'] < 100, 'double'].sum())",
    "set": "answer = sorted(set(customers['id']) - set(orders['customer_id']))[:5]",
}


def frames() -> dict[str, pd.DataFrame]:
    """Two thousand orders of three hundred customers."""
    dice = np.random.default_rng(1)
    number = np.arange(300)
    customers = pd.DataFrame(
        {"id": number, "name": [f"Customer {n}" for n in number], "city": [f"City {n % 12}" for n in number]}
    )
    orders = pd.DataFrame(
        {
            "id": np.arange(2000),
            "customer_id": dice.integers(0, 250, 2000),
            "amount": dice.uniform(1, 100, 2000).round(2),
            "day": [f"2024-{1 + n % 12:02}-{1 + n % 28:02}" for n in range(2000)],
        }
    )
    return {"orders": orders, "customers": customers}
