from typing import Any

from django.db import migrations, models


def roots_are_told(apps: Any, schema_editor: Any) -> None:
    """Rows of before: what counted is what nothing explains. Opening a thread makes its rows anew."""
    apps.get_model("store", "Finding").objects.filter(closed_seq=0, because_of=[]).update(heads=True)


class Migration(migrations.Migration):

    dependencies = [
        ('store', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='finding',
            name='heads',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='finding',
            name='muted',
            field=models.CharField(default='', max_length=200),
        ),
        migrations.RunPython(roots_are_told, migrations.RunPython.noop),
    ]
